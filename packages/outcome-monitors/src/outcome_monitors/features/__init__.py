"""What is known of a call: every value by its path, and each object as the named facts that relations speak of.

A call comes in; what stood where, and the features of its records, go out. Bounded in depth, width and number, whatever the result;
nothing is kept between two calls but by `session`.

    walk            every value of the result, filed under its path
    feature         the names of features, and the features of one record
    aggregates      what is made of many values: hash, sum, order, members
    reader          one feature of a record, by its name
    extraction      all features of all records of a call
    field_names     what the name of a field says of its value
    tool_names      what the name of a tool says of its effect
    limits          the bounds of all of it
    session/        what the earlier calls of a session returned
"""
