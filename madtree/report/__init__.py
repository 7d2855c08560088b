"""Reports: a model as one HTML page that needs nothing else."""

from madtree.report.build import build_report
