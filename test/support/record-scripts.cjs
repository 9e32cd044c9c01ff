/**
 * Preloaded by NODE_OPTIONS: writes what V8 compiles in this process or thread to a file in RECORD_SCRIPTS, one line for each script. The inspector
 * sees ES modules, CommonJS and threads alike, which hooks of the loader do not on every Node.
 */
const { appendFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { threadId } = require('node:worker_threads');

const folder = process.env.RECORD_SCRIPTS;
if (folder) {
  const file = `${folder}/${process.pid}-${threadId}.jsonl`;
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url, isModule } }) => {
    if (url.startsWith('file:')) appendFileSync(file, `${JSON.stringify({ url, isModule })}\n`);
  });
  session.post('Debugger.enable');
}
