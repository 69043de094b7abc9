/** What calls, the relay and pages alike must know of suppliers. */

/** The client's libraries, by the name that it knows. */
export const SUPPLIER_SDKS = ['openai', 'claude'] as const;
export type SupplierSdk = (typeof SUPPLIER_SDKS)[number];

export const SUPPLIER_NAME_MAX = 50;
/** Stands between a supplier's name and its model's in the name of a model. */
export const MODEL_SEPARATOR = '/';
/** The channel type of a new supplier: OpenAI's wire. */
export const SUPPLIER_TYPE = 1;

/** What may be done to many suppliers at once. */
export const SUPPLIER_ACTIONS = ['enable', 'disable'] as const;
export type SupplierAction = (typeof SUPPLIER_ACTIONS)[number];

/** The columns by which its list can be ordered. */
export const SUPPLIER_ORDERS = ['name', 'type', 'sdk', 'users', 'disable'] as const;
