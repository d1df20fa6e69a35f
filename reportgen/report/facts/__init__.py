"""What a report says, without its words: names, numbers and members of closed lists."""
