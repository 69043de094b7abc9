/** Requests whose bodies were given up before their end: what still comes of them is not the next request. */
const requests = new WeakSet<Request>();

export const giveUp = (request: Request): void => void requests.add(request);

export const isGivenUp = (request: Request): boolean => requests.has(request);
