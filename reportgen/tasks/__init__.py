"""What models do, one value a task: no other file asks which task it is."""

from reportgen.tasks.binary import BINARY
from reportgen.tasks.regression import REGRESSION
from reportgen.tasks.task import Predictions as Predictions
from reportgen.tasks.task import Task as Task
from reportgen.tasks.task import TaskName as TaskName

TASKS: dict[str, Task] = {task.name: task for task in (REGRESSION, BINARY)}
