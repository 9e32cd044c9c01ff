/** Loaded by `import()`: processes without scripts load nothing of the sandbox. The build resolves `@app/*` in static imports alone. */
export { scriptProblems } from '@app/sandbox';
