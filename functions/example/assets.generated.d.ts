/** The page's files, as `build.mjs` bundles them into `assets.generated.js`. */
export const html: string;
export const css: string;
export const js: string;
export const icon: string;
