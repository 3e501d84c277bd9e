"""From compute text to facts: who, where, likes, has, works, moved, costs, dates, values of things. Rules, no model."""
