/** Loaded by `import()`, so that only a machine without a speech program loads it. */
export { FormantVoice } from '@app/sandbox/formant';
