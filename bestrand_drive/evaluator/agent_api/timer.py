"""The drive's clock, as ``srunner.scenariomanager.timer``."""

from __future__ import annotations

from datetime import datetime


class GameTime:
    """Simulated time since the drive began; one drive a process at a time."""

    _frame = 0
    _time_s = 0.0

    @classmethod
    def set(cls, frame: int, time_s: float) -> None:
        """The evaluator tells it every tick."""
        cls._frame, cls._time_s = frame, time_s

    @classmethod
    def get_time(cls) -> float:
        """Simulated seconds since the drive began."""
        return cls._time_s

    @classmethod
    def get_carla_time(cls) -> float:
        """The same here."""
        return cls._time_s

    @classmethod
    def get_frame(cls) -> int:
        """The server's frame."""
        return cls._frame

    @staticmethod
    def get_wallclocktime() -> datetime:
        """Now."""
        return datetime.now().astimezone()
