"""Chess and the referee on bitboards, compiled by numba when first called. Other packages import from here."""

from kriegbot.kernels.announcements import *
from kriegbot.kernels.attacks import *
from kriegbot.kernels.encoding import *
from kriegbot.kernels.jit import *
from kriegbot.kernels.moves import *
from kriegbot.kernels.position import *
from kriegbot.kernels.preparing import *
from kriegbot.kernels.random import *
from kriegbot.kernels.tables import TABLES
from kriegbot.kernels.types import *
