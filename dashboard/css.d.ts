// The bundler takes style sheets out of the code that imports them.
declare module "*.css";
