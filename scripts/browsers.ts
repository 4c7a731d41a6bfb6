/**
 * The oldest browsers that the clients support. They are the first with `URL.parse`, the newest API
 * that the clients use without a fallback.
 */
export const BROWSERS = ['es2023', 'chrome126', 'firefox126', 'safari18']
