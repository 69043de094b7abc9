/** How often something is proven: as often as every run of the tests does, or as `./scripts/test long` does. */
export const often = (usual: number, long: number): number => (process.env.TEST_LONG ? long : usual);
