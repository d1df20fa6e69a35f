def table(out, runs):
    return ""
