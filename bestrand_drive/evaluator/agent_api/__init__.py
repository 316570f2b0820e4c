"""What leaderboard agents import, under the official names, where the official packages are not installed."""
