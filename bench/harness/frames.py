"""Table: 128 MiB as silkd data frames, in parts and through a socket pair."""

from harness import rounds, spread

NAME = "frames"
SIZE = 128 * spread.MIB
PAYLOADS = [32 * spread.KIB, 256 * spread.KIB, spread.MIB]
WAYS = ("base64_encode", "encode", "base64_decode", "decode", "parse", "bare_socket", "socket")
GOAL_ENCODE, GOAL_DECODE, GOAL_SHARE = 20, 12, 0.8


def run(context):
    payloads = PAYLOADS[1:2] if context.quick else PAYLOADS

    def cell(payload, way):
        argv = [context.cell_program("frames"), f"way={way}", f"size={SIZE}", f"payload={payload}", f"seconds={context.seconds}"]
        return rounds.Cell((payload, way), lambda: context.children.cell(argv))

    samples = rounds.run(NAME, [cell(payload, way) for payload in payloads for way in WAYS], context.rounds, context.warm_up)
    return _table(samples, payloads)


def _table(samples, payloads):
    speed, cost = [], []
    for payload in payloads:

        def rate(way):
            return spread.rate(samples[payload, way], SIZE, "ns", unit=1)  # bytes per ns are GB per second

        def with_share(way, of):
            share = spread.ratio(samples[payload, way], samples[payload, of], "ns").median
            return f"{spread.rate_text(rate(way))}, {share:.2f}", share

        encode, encode_share = with_share("encode", "base64_encode")
        decode, _ = with_share("decode", "base64_decode")
        socket, _ = with_share("socket", "bare_socket")
        met = rate("encode").median >= GOAL_ENCODE and encode_share >= GOAL_SHARE and rate("decode").median >= GOAL_DECODE
        speed.append([spread.size_text(payload), spread.rate_text(rate("base64_encode")), encode,
                      spread.rate_text(rate("base64_decode")), decode, spread.rate_text(rate("parse")),
                      spread.rate_text(rate("bare_socket")), socket, spread.verdict(met)])
        cost.append([spread.size_text(payload), *(f"{spread.of(samples[payload, way], 'allocations').median:,.0f}, "
                                                  f"{spread.mib_text(max(sample['peak_rss'] for sample in samples[payload, way]))} MiB"
                                                  for way in ("encode", "decode", "parse", "socket"))])
    return f"""128 MiB as `data` frames, GB/s of payload, and as a share of the column before it; goals: encode at least {GOAL_ENCODE} and
{GOAL_SHARE} of base64 alone, decode at least {GOAL_DECODE}:

{spread.table(["payload of a frame", "base64 encode", "encode", "base64 decode", "decode", "JSON parser", "bare socket pair",
               "encode, socket pair, decode", "<goal"], speed)}

Allocations for the 128 MiB, and peak memory of the process:

{spread.table(["payload of a frame", "encode", "decode", "JSON parser", "encode, socket pair, decode"], cost)}"""
