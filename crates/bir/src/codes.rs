//! The codes of diagnostics. Users search for them: a code keeps its meaning, and is never reused.

source::codes! {
    /// A character that is not part of the language.
    UNEXPECTED_CHARACTER = "E0101";
    /// A string without its closing quote.
    UNTERMINATED_STRING = "E0102";
    /// A comment without its end.
    UNTERMINATED_COMMENT = "E0103";
    /// An escape in a string that is not known.
    BAD_ESCAPE = "E0104";
    /// A number that is not well formed, or too large.
    BAD_NUMBER = "E0105";

    /// Something else was expected at this place.
    UNEXPECTED = "E0201";
    /// Expressions, statements or types are nested too deeply.
    TOO_DEEP = "E0202";
    /// A local variable that is declared after the first statement or location.
    LATE_LOCAL = "E0203";
    /// A part of the language that is not supported yet.
    UNSUPPORTED = "E0204";
    /// `new`, `start`, `invoke` or `choose` inside an expression.
    IMPURE_EXPRESSION = "E0205";
    /// The target of an assignment is not a variable, field or element.
    NOT_A_PLACE = "E0206";
    /// An operation on a collection as a statement that changes nothing.
    NO_EFFECT = "E0207";
    /// `break` or `continue` outside of a loop.
    OUTSIDE_LOOP = "E0208";
    /// A label in the middle of an atomic block.
    HIDDEN_LABEL = "E0209";
    /// A file that is imported cannot be read, or not used.
    BAD_IMPORT = "E0210";

    /// No variable, constant or element has this name.
    UNKNOWN_NAME = "E0301";
    /// No type has this name.
    UNKNOWN_TYPE = "E0302";
    /// The record has no such field.
    UNKNOWN_FIELD = "E0303";
    /// No function, thread or table has this name.
    UNKNOWN_PROCEDURE = "E0304";
    /// The procedure has no such location.
    UNKNOWN_LOCATION = "E0305";
    /// A name that is declared twice.
    DUPLICATE = "E0306";
    /// The name is known, but as something else than what is needed here.
    WRONG_KIND = "E0307";
    /// A constant that the command line sets and the model does not have.
    UNKNOWN_CONSTANT = "E0308";
    /// A constant that the command line sets, and several groups have.
    AMBIGUOUS_CONSTANT = "E0309";
    /// A value of the command line that does not suit its constant.
    BAD_DEFINE = "E0310";
    /// Records that extend themselves, or aliases that stand for themselves.
    CYCLE = "E0311";
    /// A record inherits two fields of one name.
    AMBIGUOUS_FIELD = "E0312";
    /// A `top record` that extends another one.
    TOP_WITH_PARENT = "E0313";
    /// The collection has no such operation.
    UNKNOWN_OPERATION = "E0314";

    /// The type of an expression is not the one that is expected.
    MISMATCH = "E0401";
    /// Operands that an operator does not work on.
    BAD_OPERAND = "E0402";
    /// The wrong number of arguments.
    ARGUMENT_COUNT = "E0403";
    /// A field or element of something that has none.
    NO_MEMBERS = "E0404";
    /// A return with a value where there is none, or without where there is one.
    BAD_RETURN = "E0405";
    /// A function that can end without its result.
    MISSING_RETURN = "E0406";
    /// A cast or type test that can never succeed, or that is not between records.
    BAD_CAST = "E0407";
    /// Values of types that have no value in common are compared.
    UNRELATED = "E0408";
    /// A literal outside of the range of the place that it is stored to.
    OUT_OF_RANGE = "E0409";
    /// Something is thrown or caught that is not throwable.
    NOT_THROWABLE = "E0410";
    /// Something other than equality is asked of references, threads, elements of abstract enums or
    /// collections.
    ONLY_EQUALITY = "E0411";
    /// Something is not a collection, or one of another kind.
    NOT_A_COLLECTION = "E0412";
    /// Nothing says what a new collection is made of.
    UNKNOWN_ELEMENTS = "E0413";
    /// An element of an abstract enum is named where all of them have to be interchangeable.
    ABSTRACT_ELEMENT = "E0414";
    /// What is deleted is not an object.
    NOT_DELETABLE = "E0415";

    /// An expression that has to be constant is not.
    NOT_CONSTANT = "E0501";
    /// The value of a constant expression is too large, or not defined.
    CONSTANT_OVERFLOW = "E0502";
    /// A constant expression divides by zero.
    DIVISION_BY_ZERO = "E0503";
    /// A range without values, or larger than its type.
    BAD_RANGE = "E0504";
    /// A collection that does not start empty.
    NOT_EMPTY = "E0505";

    /// No thread is active.
    NO_THREAD = "E0601";
    /// An active thread with parameters, or a bad number of active threads.
    BAD_ACTIVE = "E0602";
    /// A table of functions has two candidates for one record.
    AMBIGUOUS_TARGET = "E0603";
    /// Functions of one table differ in their signatures.
    SIGNATURE = "E0604";
    /// An invariant depends on the thread that evaluates it.
    THREAD_DEPENDENT = "E0605";
    /// A temporal operator in the middle of an expression.
    TEMPORAL_OPERAND = "E0606";
    /// A question about locations outside of temporal properties, or one that is not a set of locations.
    BAD_LOCATION_TEST = "E0607";
    /// More propositions than a property can have.
    TOO_MANY_PROPOSITIONS = "E0608";
    /// A text that is not an automaton.
    BAD_AUTOMATON = "E0609";
    /// A thread that cannot be followed through a run, by the way it is quantified.
    BAD_INDIVIDUAL = "E0610";

    /// A variable that is never used.
    UNUSED_VARIABLE = "W0701";
    /// A function or thread that is never used.
    UNUSED_PROCEDURE = "W0702";
    /// A location that is never reached.
    UNREACHABLE_LOCATION = "W0703";
    /// A statement that is never reached.
    UNREACHABLE_STATEMENT = "W0704";
    /// `assert!(…)`, which asserts a negation.
    NEGATED_ASSERTION = "W0705";
}
