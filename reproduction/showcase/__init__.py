"""A network to be used, apart from the paper's tables: its identities, its data, its calibration and its card."""
