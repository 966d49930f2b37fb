"""Run by benchmarks.matching in an environment of its own: pairs of trees on standard input, edist's distances and CPU seconds on standard output."""

import json
import sys
import time

from edist import ted

answers = []
for (left_nodes, left_children), (right_nodes, right_children) in json.load(sys.stdin):
    began = time.process_time()
    distance = ted.standard_ted(left_nodes, left_children, right_nodes, right_children)
    answers.append((float(distance), time.process_time() - began))
json.dump(answers, sys.stdout)
