"""A built-in evaluator: drives routes with a leaderboard agent on any server of CARLA's protocol, and scores them."""
