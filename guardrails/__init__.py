"""The rules that bot and builder share: shapes, moves and judgements, pure and without a clock."""
