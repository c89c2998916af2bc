TITLE = "What makes the benchmark hard?"
