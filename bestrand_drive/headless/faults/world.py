"""A world that lets ordered faults strike; the server and the world itself know nothing of them."""

from __future__ import annotations

from bestrand_drive.headless.blueprints.catalog import Catalog
from bestrand_drive.headless.faults.hooks import FaultHooks
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.town_names import GENERATED_MAP
from bestrand_drive.headless.world.world import World


class FaultyWorld(World):
    """As its parent, and asks its hooks at every tick and load.

    Attributes:
        hooks: Set after the first load, which no client asked for.
    """

    def __init__(self, maps: MapLibrary, catalog: Catalog, seed: int) -> None:
        super().__init__(maps, catalog, seed)
        self.hooks = FaultHooks()

    def tick(self) -> int:
        """Advance by one step; then what was ordered for that tick."""
        frame = super().tick()
        self.hooks.ticked()
        return frame

    def load_map(self, name: str, reset_settings: bool) -> None:
        """Start an episode in a town, after what was ordered for it."""
        self.hooks.loading(name)
        super().load_map(name, reset_settings)

    def load_opendrive(self, xodr: str, reset_settings: bool = False) -> None:
        """Start an episode in a map given as text, after what was ordered for such."""
        self.hooks.loading(GENERATED_MAP)
        super().load_opendrive(xodr, reset_settings)
