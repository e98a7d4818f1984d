"""The expression language of chapter 10: compiled once, evaluated without effects."""

from reference_runtime.expressions.language import LANGUAGE, LanguageRules
from reference_runtime.expressions.template import (
    Template,
    compile_template,
    evaluate,
    evaluate_boolean,
)
from reference_runtime.expressions.values import (
    ExpressionError,
    ExpressionSyntaxError,
    Scope,
    Value,
)

__all__ = [
    "LANGUAGE",
    "ExpressionError",
    "ExpressionSyntaxError",
    "LanguageRules",
    "Scope",
    "Template",
    "Value",
    "compile_template",
    "evaluate",
    "evaluate_boolean",
]
