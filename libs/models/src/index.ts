export { ModelsModule } from './models.module.js';
export { TextModelFailed, type TextModelChoice, TextModels } from './text-models.service.js';
