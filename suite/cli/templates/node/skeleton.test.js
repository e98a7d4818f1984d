// The adapter alone, without the suite: node --test in this folder.
'use strict';
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const path = require('node:path');
const readline = require('node:readline');
const test = require('node:test');

const DOCUMENT = Buffer.from(`<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0">
  <nodes><node id="alder" type="task"/></nodes>
</harness>`).toString('base64');

// Starts the adapter and talks to it; answers every call with `answer`.
async function talk(requests, answer = { result: 'ok' }) {
  const child = spawn(process.execPath, [path.join(__dirname, 'skeleton.js')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const say = (message) => child.stdin.write(JSON.stringify(message) + '\n');
  const heard = [];
  requests.forEach(say);
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const message = JSON.parse(line);
    heard.push(message);
    if (message.type === 'invoke') say({ type: 'outcome', id: message.id, call: message.call, ...answer });
    if (['description', 'findings', 'end', 'fault'].includes(message.type)) say({ type: 'stop' });
  }
  return heard;
}

const states = (heard) => heard.filter(({ type }) => type === 'transition').map(({ to }) => to);

test('describes itself', async () => {
  const [description] = await talk([{ type: 'describe', id: 1, protocol: [1, 1] }]);
  assert.equal(description.protocol, 1);
  assert.ok(description.name && description.levels.length);
});

test('accepts the smallest document', async () => {
  const [findings] = await talk([{ type: 'validate', id: 1, document: DOCUMENT }]);
  assert.deepEqual(findings, { type: 'findings', id: 1, findings: [] });
});

test('success of the step is success of the node', async () => {
  const heard = await talk([{ type: 'run', id: 1, document: DOCUMENT }]);
  assert.deepEqual(states(heard), ['READY', 'RUNNING', 'SUCCEEDED']);
  assert.equal(heard.at(-1).outcome, 'succeeded');
});

test('failure of the step is failure of the node', async () => {
  const heard = await talk([{ type: 'run', id: 1, document: DOCUMENT }], { result: 'fail', errorClass: 'internal' });
  assert.deepEqual(states(heard), ['READY', 'RUNNING', 'FAILED']);
  assert.equal(heard.at(-1).outcome, 'failed');
});
