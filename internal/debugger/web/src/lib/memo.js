import { Component, h } from 'preact';

// memo renders a component again only when one of its properties is another.
export function memo(view) {
  class Memo extends Component {
    shouldComponentUpdate(next) {
      const now = this.props;
      const keys = Object.keys(next);
      return keys.length !== Object.keys(now).length || keys.some((key) => next[key] !== now[key]);
    }

    render() {
      return h(view, this.props);
    }
  }
  return Memo;
}
