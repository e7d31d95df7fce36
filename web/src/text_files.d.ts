// SPDX-License-Identifier: Apache-2.0
// build.mjs gives files of these kinds as their text.
declare module "*.html" {
  const text: string;
  export default text;
}
