"""The command line of Tally."""

from ledger.balances import balances

if __name__ == "__main__":
    for name, cents in balances({"Ana": 3000, "Ben": 0, "Chloe": 1500}).items():
        print(f"{name}: {cents / 100:+.2f}")
