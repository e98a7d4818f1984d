"""Whole documents from fragments of XML, their findings in short, and drawn documents."""

from hypothesis import strategies as st

from reference_runtime.validation import validate

__all__ = ["RICH", "TASK", "codes", "document", "drawn_texts", "findings"]

_HEAD = 'xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0"'
TASK = '<node id="a" type="task"/>'

#: One document with every element and attribute of the format.
RICH = """<?xml version="1.0" encoding="UTF-8"?>
<hx:harness xmlns:hx="https://harnessxml.com/spec/1.0" xmlns:v="urn:v"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="https://harnessxml.com/spec/1.0 http://localhost:9/never.xsd"
    id="rich" specVersion="1.0" name="Rich" entry="a">
  <hx:metadata>
    <hx:created>2026-08-04T09:00:00Z</hx:created>
    <hx:title>t</hx:title><hx:description>d</hx:description><hx:author>a</hx:author>
    <hx:organization>o</hx:organization><hx:license>l</hx:license>
    <hx:documentVersion>3</hx:documentVersion><hx:modified>2026-08-04T09:00:00.5+02:00</hx:modified>
    <hx:tags><hx:tag>x</hx:tag></hx:tags>
    <hx:provenance>
      <hx:generator name="g" version="1" vendor="v"/>
      <hx:source uri="urn:s" type="t" digest="sha256:0"/><hx:source uri="urn:t"/>
      <hx:signature algorithm="x" value="y" keyId="z"/>
    </hx:provenance>
  </hx:metadata>
  <hx:security principal="p" classification="internal" isolation="process">
    <hx:permission action="read" resource="r"/>
  </hx:security>
  <hx:resources>
    <hx:resource id="m" type="model" name="M" provider="p" uri="urn:m">
      <hx:description>d</hx:description><hx:property name="k" value="v"/>
      <hx:credential ref="KEY" store="vault"/>
      <hx:extension namespace="urn:v"><v:x/></hx:extension>
    </hx:resource>
  </hx:resources>
  <hx:artifacts>
    <hx:artifact id="f" type="document" name="F" uri="urn:f" mediaType="text/plain"
        digest="sha256:1" classification="public">
      <hx:description>d</hx:description><hx:property name="k" value="v"/>
      <hx:extension namespace="urn:v" required="0"/>
    </hx:artifact>
  </hx:artifacts>
  <hx:nodes>
    <hx:node id="a" type="inference" name="A" impl="x" idempotent=" 1 " joinPolicy="any"
        quorum="+2">
      <hx:description>d</hx:description>
      <hx:inputs>
        <hx:input name="i" type="number" required="false" default="1"/>
        <hx:input name="j" value="${1 + 1}"><hx:description>d</hx:description></hx:input>
      </hx:inputs>
      <hx:outputs><hx:output name="o" type="array&lt;number&gt;"/></hx:outputs>
      <hx:config><hx:property name="c" value="7"/></hx:config>
      <hx:resourceRef ref="m" role="model"/>
      <hx:artifactRef ref="f" direction="inout"/>
      <hx:guard when="${true}"/>
      <hx:retry maxAttempts="3" backoff="linear" initialDelay="PT0.5S" maxDelay="P1DT1H1M1S"
          multiplier="1.5" jitter="false" retryOn=" timeout  transient "/>
      <hx:timeout duration="PT10S" onTimeout="retry"/>
      <hx:security principal="q"/>
      <hx:extension namespace="urn:v" required="false"><v:x y="1"><z/></v:x></hx:extension>
    </hx:node>
    <hx:node id="d" type="decision">
      <hx:cases><hx:case when="${a.o == null}" to="l"/><hx:otherwise to="s"/></hx:cases>
    </hx:node>
    <hx:node id="l" type="loop">
      <hx:loop kind="forEach" over="${a.o}" var="e" indexVar="n" while="${true}" count="4"
          maxIterations="5" maxConcurrency="2" onItemFailure="break"><hx:body ref="w"/></hx:loop>
    </hx:node>
    <hx:node id="s" type="subworkflow">
      <hx:subworkflow href="urn:child" digest="sha256:2" specVersion="1.1"/>
    </hx:node>
    <hx:node id="w" type="wait"><hx:wait event="go"/></hx:node>
    <hx:node id="u" type="task" compensates="a"/>
  </hx:nodes>
  <hx:edges>
    <hx:edge id="e1" from="a" to="d" condition="${true}"><hx:description>d</hx:description>
      <hx:extension namespace="urn:v"/></hx:edge>
    <hx:edge from="a" to="u" type="compensation"/>
    <hx:edge from="s" to="a" type="error"/>
  </hx:edges>
  <hx:extension namespace="urn:v"/>
</hx:harness>
"""


def document(nodes=TASK, edges="", *, attributes="", before="", after=""):
    """A document from the XML of its nodes and edges; ``before`` and ``after`` are sections."""
    body = f"{before}<nodes>{nodes}</nodes><edges>{edges}</edges>{after}"
    return f"<harness {_HEAD} {attributes}>{body}</harness>".encode()


def findings(text):
    """All findings of a document, given as bytes."""
    return validate(text).findings


def codes(text):
    """Codes of all findings in the order of the document."""
    return [finding.code for finding in findings(text)]


#: Texts that XML can hold.
drawn_texts = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=12
)
