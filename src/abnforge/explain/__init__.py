"""Why a string is rejected: readings of it, the cheapest repairs, and the sentences that tell them."""
