// Adapter skeleton, protocol 1: pytest --runtime="cmd:node skeleton.js"
// The engine below is a toy: it runs the nodes one after the other in document order.
'use strict';
const readline = require('node:readline');

const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');
let run = null; // the run under way: { id, n, seen, calls, inbox, wake }

// --- what the engine needs of the suite ---------------------------------------------------
const report = (type, fields) => say({ type, id: run.id, n: ++run.n, ...fields });
const transition = (node, from, to, more = {}) => report('transition', { node, from, to, ...more });

function invoke(node, inputs, attempt) {
  report('invoke', { call: ++run.calls, node, inputs, attempt });
  return run.calls;
}

// The next message of the suite. Says idle first when there is none: nothing moves without it.
async function receive(timer) {
  if (run.inbox.length === 0) {
    report('idle', timer === undefined ? { seen: run.seen } : { seen: run.seen, timer });
    await new Promise((resolve) => { run.wake = resolve; });
  }
  run.seen += 1;
  return run.inbox.shift();
}

// --- the engine: put your own here --------------------------------------------------------
const STEPS = ['task', 'inference', 'transform', 'source', 'sink', 'human'];

function nodesOf(document) {
  return [...document.matchAll(/<(?:\w+:)?node\s[^>]*>/g)].map(([tag]) => ({
    id: /\sid="([^"]*)"/.exec(tag)[1],
    type: /\stype="([^"]*)"/.exec(tag)[1],
  }));
}

function validate(document) {
  return nodesOf(document).length ? [] : [{ code: 'HX-1102', severity: 'error' }];
}

async function execute(document) {
  for (const { id, type } of nodesOf(document)) {
    transition(id, 'PENDING', 'READY');
    transition(id, 'READY', 'RUNNING', { attempt: 1 });
    let answer = { result: 'ok' };
    if (STEPS.includes(type)) {
      const call = invoke(id, {}, 1);
      do { answer = await receive(); } while (answer.type !== 'outcome' || answer.call !== call);
    }
    if (answer.result === 'fail') {
      transition(id, 'RUNNING', 'FAILED', { errorClass: answer.errorClass, attempt: 1 });
      return 'failed';
    }
    transition(id, 'RUNNING', 'SUCCEEDED', { attempt: 1 });
  }
  return 'succeeded';
}

// --- requests of the suite ----------------------------------------------------------------
async function handleRun(request, document) {
  const findings = validate(document);
  if (findings.length) return say({ type: 'findings', id: request.id, findings });
  run = { id: request.id, n: 0, seen: 0, calls: 0, inbox: [], wake: null };
  const outcome = await execute(document);
  report('end', { messages: run.n + 1, outcome });
  run = null;
}

function fault(request, error) { // the case is a crash, the program goes on
  run = null;
  say({ type: 'fault', id: request.id, message: String(error.stack) });
}

function handle(request) {
  const document = Buffer.from(request.document ?? '', 'base64').toString('utf8');
  switch (request.type) {
    case 'describe':
      return say({ type: 'description', id: request.id, protocol: 1, name: 'skeleton-js', version: '1',
        levels: ['core', 'executing'], control: 'interactive', openSteps: 1 });
    case 'validate': return say({ type: 'findings', id: request.id, findings: validate(document) });
    case 'run': return void handleRun(request, document).catch((error) => fault(request, error));
    case 'stop': return process.exit(0);
    default: // outcome, advance, cancel, event
      if (run === null || request.id !== run.id) return; // left over from a run that has ended
      run.inbox.push(request);
      if (run.wake) run.wake();
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  try { handle(request); } catch (error) { fault(request, error); }
});
