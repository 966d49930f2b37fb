"""Run by benchmarks.matching in an environment of its own: pairs of trees on standard input,
edist's distances and best CPU seconds of three on standard output.
"""

import json
import sys
import time

from edist import ted

answers = []
for (left_nodes, left_children), (right_nodes, right_children) in json.load(sys.stdin):
    times = []
    for _ in range(3):
        began = time.process_time()
        distance = ted.standard_ted(left_nodes, left_children, right_nodes, right_children)
        times.append(time.process_time() - began)
    answers.append((float(distance), min(times)))
json.dump(answers, sys.stdout)
