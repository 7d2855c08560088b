"""The way of rows down trees that grow: splits as rows follow them, and which node each row of a block has reached."""
