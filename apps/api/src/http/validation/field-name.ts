/** In a message of a validator: the name of its field. The message is written before the path of the object that holds the field is known. */
export const FIELD = '{field}';
