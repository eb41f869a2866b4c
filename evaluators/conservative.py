"""KS that values protected pieces more; docs/reproduction/choices.md has its games."""

from evaluators.ks import Weights, with_weights

conservative = with_weights(Weights(shield=30))
