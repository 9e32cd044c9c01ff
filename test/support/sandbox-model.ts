import { SandboxServer } from '@app/sandbox';
import { FormantVoice } from '@app/sandbox/formant';
import { Speech, Synthesiser } from '@app/voice';

/** A server of OpenAI's Realtime protocol, as the vendor of a model: with a key, for any model. */
export const startSandboxModel = (): Promise<SandboxServer> =>
  SandboxServer.start({ speech: new Speech(new Synthesiser([new FormantVoice()])) });
