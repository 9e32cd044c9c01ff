export { SettingsModule } from './settings.module.js';
export { ENV, LOG, OWNER } from './tokens.js';
