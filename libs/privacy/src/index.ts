export { ConversationSecrets, type Speaker, type Utterance } from './conversation-secrets.js';
export { type CustomPattern, mergeRedaction, type Redaction, SECRET_KINDS } from './redaction.js';
export { customProblems, MAX_CUSTOM } from './secret-finder.js';
