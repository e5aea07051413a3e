"""Truth: is what was drawn what source_data.csv holds?

Each drawn series is bound to columns and rows of the table, allowing for order, stated units and stated aggregates.
What fits nothing and claims nothing is named as not bound; only a series whose words say what it should be can be wrong.
"""
