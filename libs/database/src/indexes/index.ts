export { dropUnfinishedIndex } from './unfinished-index.js';
