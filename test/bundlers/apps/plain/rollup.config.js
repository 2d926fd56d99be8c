import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import replace from "@rollup/plugin-replace";

// React needs the CommonJS plugin and NODE_ENV; keeplight needs neither.
export default {
  input: "main.js",
  output: { dir: "out", sourcemap: true },
  plugins: [
    nodeResolve({ browser: true }),
    commonjs(),
    replace({ preventAssignment: true, values: { "process.env.NODE_ENV": '"production"' } }),
  ],
};
