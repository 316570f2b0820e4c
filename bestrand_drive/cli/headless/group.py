"""``bestrand headless``: a CPU-only server that the real CARLA client connects to."""

from __future__ import annotations

import typer

from bestrand_drive.cli.headless.install import install
from bestrand_drive.cli.headless.map_from_routes import map_from_routes
from bestrand_drive.cli.headless.serve import serve

app = typer.Typer(
    help="A CPU-only server that speaks CARLA's wire protocol to the real client. Scores from it are not CARLA's.\n\n"
    "Example: bestrand headless serve --maps towns/ --map Town01",
    no_args_is_help=True,
)
app.command("serve")(serve)
app.command("install")(install)
app.command("map-from-routes")(map_from_routes)
