//! The codes of diagnostics. Users search for them: a code keeps its meaning, and is never reused.

source::codes! {
    /// A character that is not part of the language.
    UNEXPECTED_CHARACTER = "E1001";
    /// A string or character without its closing quote.
    UNTERMINATED_STRING = "E1002";
    /// A comment without its end.
    UNTERMINATED_COMMENT = "E1003";
    /// A number that is not a decimal one.
    BAD_NUMBER = "E1004";
    /// A character constant that is not exactly one character.
    BAD_CHARACTER = "E1005";
    /// A number that does not fit 32 bits.
    WRAPPED_NUMBER = "W1006";
    /// A `*/` that ends no comment.
    STRAY_COMMENT_END = "W1007";

    /// A preprocessor directive that is not known, or not well formed.
    BAD_DIRECTIVE = "E1101";
    /// An `#else`, `#elif` or `#endif` without its `#if`, or an `#if` without its `#endif`.
    UNBALANCED_CONDITION = "E1102";
    /// The condition of an `#if` is not a constant expression.
    BAD_CONDITION = "E1103";
    /// A file that cannot be included.
    BAD_INCLUDE = "E1104";
    /// The model says `#error`.
    ERROR_DIRECTIVE = "E1105";
    /// The model says `#warning`.
    WARNING_DIRECTIVE = "W1106";
    /// A macro is defined again, with another meaning.
    MACRO_REDEFINED = "W1107";
    /// A macro is used with the wrong number of arguments, or without the end of its arguments.
    MACRO_ARGUMENTS = "E1108";
    /// The result of `##` is not a token.
    BAD_PASTE = "E1109";
    /// Macros that expand to too much, or that are nested too deeply.
    MACRO_LIMIT = "E1110";
    /// A macro of the command line that is not well formed.
    BAD_MACRO_DEFINE = "E1111";
    /// A macro of the command line that the model does not use.
    UNUSED_MACRO_DEFINE = "W1112";
    /// A macro of the command line that the model defines itself.
    OVERRIDDEN_MACRO_DEFINE = "E1113";

    /// Something else was expected at this place.
    UNEXPECTED = "E1201";
    /// Expressions or statements are nested too deeply, or the model is too large.
    TOO_DEEP = "E1202";
    /// Embedded C.
    EMBEDDED_C = "E1203";
    /// A part of the language that is not supported.
    UNSUPPORTED_SYNTAX = "E1204";
    /// An inline that is defined twice, calls itself, or is called with the wrong number of arguments.
    BAD_INLINE = "E1205";
    /// A `return` that is not in an inline whose result is assigned.
    STRAY_RETURN = "E1206";
    /// Something that must be at the top level of the model.
    MUST_BE_GLOBAL = "E1207";
    /// A label before a declaration.
    LABELLED_DECLARATION = "E1208";
    /// `full`, `empty`, `nfull` or `nempty` where SPIN does not admit them.
    BAD_PROBE = "E1209";
    /// A formula in temporal logic that needs parentheses.
    TEMPORAL_OPERAND = "E1210";
    /// A `select` without values.
    EMPTY_SELECT = "E1211";
    /// A word or operator of another language.
    FOREIGN = "E1212";

    /// A name that is not declared.
    UNDECLARED = "E1301";
    /// A name that is declared already.
    DUPLICATE = "E1302";
    /// Something that must be a constant.
    NOT_CONSTANT = "E1303";
    /// A size, width, capacity or count that makes no sense.
    BAD_SIZE = "E1304";
    /// An index on something that is not an array.
    NOT_AN_ARRAY = "E1305";
    /// An array without an index.
    MISSING_INDEX = "E1306";
    /// A field that the record does not have, or a field of something that is not a record.
    NO_FIELD = "E1307";
    /// A whole record where a number is needed.
    WHOLE_RECORD = "E1308";
    /// An initial value that does not fit, or that cannot be here.
    BAD_INITIALIZER = "E1309";
    /// Something that cannot be set.
    CONSTANT_TARGET = "E1310";
    /// A jump to a label that does not exist.
    UNKNOWN_LABEL = "E1311";
    /// Two labels of one name in one scope.
    DUPLICATE_LABEL = "E1312";
    /// A `break` outside of loops.
    STRAY_BREAK = "E1313";
    /// A jump into a `d_step`, or out of one.
    DSTEP_JUMP = "E1314";
    /// A label at the beginning of a block.
    LABEL_PLACE = "E1315";
    /// A process that cannot be started like this.
    BAD_RUN = "E1316";
    /// Something else where a channel is needed, or a channel where a number is.
    NOT_A_CHANNEL = "E1317";
    /// A statement that is not possible in a `d_step`.
    IN_DSTEP = "E1318";
    /// A second `else` in a selection.
    DUPLICATE_ELSE = "E1319";
    /// A `for` or `select` over something that it does not work for.
    BAD_LOOP = "E1320";
    /// Something that only a `never` claim can ask.
    CLAIM_ONLY = "E1321";
    /// A model without a process that runs.
    NO_PROCESS = "E1322";
    /// Something that is not an event in a `trace`.
    NO_EVENT = "E1323";
    /// Jumps that go round in a circle.
    JUMP_CYCLE = "E1324";
    /// A message with another number of fields than its channel has.
    FIELD_COUNT = "W1325";
    /// A variable that nothing uses.
    UNUSED_VARIABLE = "W1326";
    /// A label that nothing uses.
    UNUSED_LABEL = "W1327";
    /// A process that nothing starts.
    UNUSED_PROCTYPE = "W1328";
    /// A statement that cannot be reached.
    UNREACHABLE = "W1329";
    /// A promise that is not checked: of a `D_proctype` to be deterministic.
    NOT_CHECKED = "W1330";
    /// A sequence without a statement.
    EMPTY_SEQUENCE = "E1331";
    /// More channels than there are numbers for.
    TOO_MANY_CHANNELS = "E1332";
    /// A statement that a `never` claim cannot have.
    CLAIM_STATEMENT = "E1333";
    /// Something that a property cannot ask, since no process asks.
    PROPERTY_ASKS = "E1334";
    /// More propositions than a property can have.
    TOO_MANY_PROPOSITIONS = "E1335";
    /// A text that is not an automaton.
    BAD_AUTOMATON = "E1336";
    /// An initial value that has no effect.
    IGNORED_INITIALIZER = "W1337";
    /// Variables and channels that are too large together.
    TOO_LARGE = "E1338";
    /// A `printf` whose arguments are not those that its text has places for.
    PRINTF_ARGUMENTS = "W1339";
    /// An `else` that is never taken, since another option can always be.
    USELESS_ELSE = "W1340";
    /// A condition directly after `else`.
    ELSE_CONDITION = "W1341";
    /// A comparison as a statement, of a variable that nothing sets.
    NEVER_SET = "W1342";

    /// A type whose fields are needed before they are declared.
    INCOMPLETE_TYPE = "E1401";
    /// Something else where a pointer is needed.
    NOT_A_POINTER = "E1402";
    /// A part of the dynamic extension that is not supported, or something that dynamic programs cannot have.
    UNSUPPORTED_DYNAMIC = "E1403";
    /// A `return` that does not fit its function.
    BAD_RETURN = "E1404";
    /// The call of a function inside of an expression.
    CALL_IN_EXPRESSION = "E1405";
    /// A value of another type than its place has, or that another operand has.
    TYPE_MISMATCH = "E1406";
    /// Arithmetic, order or a condition on something that is not a number.
    NOT_A_NUMBER = "E1407";
    /// A call with other arguments than the function has parameters.
    BAD_CALL = "E1408";
    /// A function that may end without the result that it declares.
    MISSING_RETURN = "W1409";
    /// A part of the dynamic extension in a model that is to be SPIN's.
    EXTENSION = "E1410";
}
