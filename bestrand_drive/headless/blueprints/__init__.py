"""What can be spawned: ids, attributes, boxes and limits of CARLA's blueprints."""
