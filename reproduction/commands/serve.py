"""`serve`: the page on which equations are typed, answered and taken apart, at an address of this machine."""

import argparse
import sys

from ..serving.server import serve

HELP = "serve a page that verifies and completes equations while you type"


def port_number(text: str) -> int:
    """A port, for argparse; 0 takes a free one."""
    number = int(text)
    if not 0 <= number < 2**16:
        raise ValueError(text)
    return number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: this machine only)")
    parser.add_argument("--port", type=port_number, default=8000, help="0 takes a free one (default: 8000)")
    parser.add_argument("--run", dest="network", metavar="RUN", help="the network to begin with: a directory or a name")


def run(arguments: argparse.Namespace) -> int:
    print("loading the network ...", file=sys.stderr)
    number = serve(
        arguments.host,
        arguments.port,
        arguments.network,
        lambda address: print(f"{address}   (stop with Ctrl-C)", flush=True),
    )
    print("stopped", file=sys.stderr)
    return 128 + number
