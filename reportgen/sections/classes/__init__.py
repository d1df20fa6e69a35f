"""What is told of classes one by one."""
