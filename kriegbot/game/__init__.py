"""One game: the loop of a turn, the seats that players sit at, and the processes, protocol and sandbox behind them."""
