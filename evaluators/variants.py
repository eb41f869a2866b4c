"""KS with other weights, as docs/reproduction/choices.md tries them: `evaluator=evaluators.variants:threat_20`."""

from evaluators.ks import Weights, with_weights

protected_40 = with_weights(Weights(protected=40))
shield_15 = with_weights(Weights(shield=15))
shield_50 = with_weights(Weights(shield=50))
shield_30_attacked_only_1 = with_weights(Weights(shield=30, attacked_only=1))
threat_20 = with_weights(Weights(threat=20))
threat_40 = with_weights(Weights(threat=40))
threat_20_advance_300 = with_weights(Weights(threat=20, advance=300))
advance_500 = with_weights(Weights(advance=500))
check_100 = with_weights(Weights(check=100))
mate_1000 = with_weights(Weights(mate=1000))
mate_3000 = with_weights(Weights(mate=3000))
