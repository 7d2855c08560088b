"""The fields of a PMML document: what it is asked by, what it says, and the models that join others."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from madtree.trees import Feature, FeatureKind, Joining, Model

INTEGERS = ("smallint", "integer", "bigint")


def data_dictionary(model: Model) -> Element:
    """All fields of the document."""
    fields = [*map(_feature_field, model.features), *_grouping_fields(model), _dependent_field(model)]
    dictionary = Element("DataDictionary", {"numberOfFields": str(len(fields))})
    dictionary.extend(fields)
    return dictionary


def _feature_field(feature: Feature) -> Element:
    if feature.type == "boolean":
        return _field(feature.name, "categorical", "boolean")
    if feature.kind is FeatureKind.UNORDERED or feature.labels:
        return _field(feature.name, "categorical", "string")
    return _field(feature.name, "continuous", "double")


def _grouping_fields(model: Model) -> Iterator[Element]:
    features = {*model.feature_names}
    for name, type_ in zip(model.grouping_columns, model.grouping_types, strict=True):
        if name not in features:
            yield _field(name, "categorical", _class_type(type_))


def _dependent_field(model: Model) -> Element:
    if not model.is_classification:
        return _field(target_name(model), "continuous", "double")
    field = _field(target_name(model), "categorical", _type_of_classes(model))
    for label in model.classes:
        SubElement(field, "Value", {"value": label})
    return field


def target_name(model: Model) -> str:
    """The dependent variable; where an expression predicts itself by a feature of the same name, told apart."""
    taken = {*model.feature_names, *model.grouping_columns}
    return model.target if model.target not in taken else f"predicted {model.target}"


def _field(name: str, optype: str, data_type: str) -> Element:
    return Element("DataField", {"name": name, "optype": optype, "dataType": data_type})


def _type_of_classes(model: Model) -> str:
    # JPMML takes a regression's categories for texts, and finds no probability of a boolean.
    return "string" if model.kind.joining is Joining.SUM else _class_type(model.dependent_type)


def _class_type(type_: str) -> str:
    return "integer" if type_ in INTEGERS else "boolean" if type_ == "boolean" else "string"


def mining_schema(model: Model, *, with_groups: bool = False, with_target: bool = True) -> Element:
    """The features; the grouping columns, where they choose; and the target, where the model says just that."""
    schema = Element("MiningSchema")
    names = model.feature_names
    if with_groups:
        taken = set(names)
        names += [name for name in model.grouping_columns if name not in taken]
    for name in names:
        SubElement(schema, "MiningField", {"name": name, "invalidValueTreatment": "asIs"})
    if with_target:
        SubElement(schema, "MiningField", target_field(model))
    return schema


def target_field(model: Model) -> dict[str, str]:
    """Attributes of its MiningField."""
    return {"name": target_name(model), "usageType": "target"}


def output(model: Model) -> Element:
    """What the document says of a row."""
    outputs = Element("Output")
    predicted = {"name": f"estimated_{model.target}", "feature": "predictedValue"}
    if not model.is_classification:
        SubElement(outputs, "OutputField", {**predicted, "optype": "continuous", "dataType": "double"})
        return outputs
    data_type = _type_of_classes(model)
    SubElement(outputs, "OutputField", {**predicted, "optype": "categorical", "dataType": data_type})
    for label in model.classes:
        attributes = {"name": f"estimated_prob_{label}", "optype": "continuous", "dataType": "double"}
        SubElement(outputs, "OutputField", {**attributes, "feature": "probability", "value": label})
    return outputs


def mining_model(model: Model, name: str, *, with_groups: bool) -> Element:
    """The beginning of a model that joins others."""
    mining = Element("MiningModel", {"modelName": name, "functionName": function_name(model)})
    mining.append(mining_schema(model, with_groups=with_groups))
    return mining


def segmentation(method: str) -> Element:
    """How it joins them."""
    return Element("Segmentation", {"multipleModelMethod": method})


def function_name(model: Model) -> str:
    """What PMML calls what it predicts."""
    return "classification" if model.is_classification else "regression"
