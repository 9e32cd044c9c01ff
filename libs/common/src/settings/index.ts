export { ENV, LOG, OWNER, SettingsModule } from './settings.module.js';
