export { ModelsModule } from './models.module.js';
export { type TextModelChoice, TextModelFailed, TextModels } from './text-models.service.js';
