"""What can go wrong between a lane and its bot, one small tree."""


class LaneError(Exception):
    """The lane cannot go on with this; the message says why in plain words."""


class ClaimLost(LaneError):
    """The claim is another's by now, or a stop or a withdrawal voided it: stop at once, publish and report nothing."""


class BotUnreachable(LaneError):
    """No usable answer within the call's deadline; it may or may not have arrived, the same call may be repeated."""


class NotWelcome(LaneError):
    """The bot refuses this device: no call can succeed before a person mends it."""


class BotRefused(LaneError):
    """The bot understood the call and refuses it; repeating it changes nothing."""


class BadSettings(LaneError):
    """A setting is missing or wrong; the message names settings, never their values."""


class LaneUnfit(LaneError):
    """No build of this lane can succeed before a person mends it; the message says what is wrong."""


class UnsafeName(LaneError):
    """A file name that would not stay inside the claim's folder, or that no bundle may hold."""


class BadHandover(LaneError):
    """A file that one job hands to the next cannot be used; the message quotes nothing of it."""


class WorkStopped(LaneError):
    """The work on a claim was asked to end before it was done."""
