// The rows of the dynamic schedule and of zero crossings with sharp operations (model.h), and whether these
// are resolved over an interval of time, by enclosures.
//
// What the rows read is numbered densely (`variables`). A row is resolved over a path when it is so for all
// values on the path, between two times; and over a box when it is so for all values within some distance of
// the last ones, until some time. While a step ends in the box of a row no enclosure is evaluated for it:
// boxes are as large as is found to be worth while. The ranges of a variable in all boxes have a common part,
// so a step costs one comparison of each variable; boxes are looked at where it has left the common part.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/interval.h"
#include "runtime/model.h"

namespace runtime {

class SharpRows {
 public:
  /// `nominal`: values, by variable of the model.
  SharpRows(const Model& model, const std::vector<double>& nominal);

  bool empty() const { return rows_.empty(); }
  /// Whether rows read what only comparisons need (Model::compared).
  bool reads_compared() const { return reads_compared_; }
  /// The variables that sharp operations read.
  std::span<const std::uint32_t> variables() const { return variables_; }
  /// Rows with other parameters than when their boxes were found have none any more.
  void compare_parameters(const double* parameters);
  /// Finds the rows that are outside of their boxes at a time, with the values of the variables: in ascending
  /// order. `bend(v)`: how far variable v may have been from these values and those before in the step; it is
  /// asked for what is not affine in states.
  template <class Bend>
  void find_outside(double time, const double* now, const Bend& bend, std::vector<std::uint32_t>& rows) {
    rows.clear();
    collect_outside(time, now, rows);
    for (const std::uint32_t v : turning_)
      if (const double margin = bend(v); !(Range{low_[v], high_[v]}.contains(now[v], margin)))
        collect_outside(v, now[v], margin, rows);
    if (!std::ranges::is_sorted(rows)) std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
  }
  /// To be called when new boxes have been looked for.
  void find_common_parts();

  /// The rows that read what is not affine in states.
  std::span<const std::uint32_t> turning() const { return turning_rows_; }

  /// The path of a variable over an interval: its ends, and how far it is from the straight line between
  /// them, at most.
  struct Path {
    double first = 0, last = 0, bend = 0;
  };
  /// `paths`: by variable. `parameters`: of the model. A row that reads constant values alone is resolved,
  /// even where its value jumps at them: the floor of a discrete variable that is whole.
  Resolution over_path(std::uint32_t row, Interval time, const Path* paths, const double* parameters);
  /// Looks for a box about paths over an interval, until `stop` at most. A row with a box is resolved there.
  bool find_box(std::uint32_t row, Interval time, double stop, const Path* paths, const double* parameters);
  /// Visits the variables that the sharp operations of a row read.
  template <class Visit>
  void each_variable(std::uint32_t row, const Visit& visit) const {
    const Row& r = rows_[row];
    for (std::uint32_t k = r.first_watch; k < r.end_watch; ++k) visit(watched_[k]);
  }

 private:
  struct Group {  // rows of one kernel
    std::uint32_t kernel = 0, count = 0;
    std::uint64_t table = 0;  // into tables_: slots as numbers of variables, parameters
    std::uint32_t slots = 0, params = 0;
    std::uint64_t parameters = 0;  // into parameters_, of this group
    std::uint8_t size = 0;         // of the box that was found last
  };
  static constexpr std::uint8_t kNoBox = 255;  // has been found yet
  struct Row {
    std::uint32_t group = 0, row = 0;  // in its group
    std::uint32_t first_watch = 0, end_watch = 0;
    std::uint8_t size = kNoBox;  // of its last box: 4^-size of the largest one
    std::uint8_t wait = 0;       // steps until a box is looked for again
    std::uint8_t steady = 0;     // boxes until a larger one is looked for
    bool turning = false;        // watches what is not affine in states
  };
  struct Range {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool contains(double value, double margin = 0) const {
      return low <= value - margin && value + margin <= high;
    }
  };
  struct Reader {  // of a variable
    std::uint32_t row, watch;
  };
  void add(const Model& model, const KernelBatch& batch, const std::vector<std::uint8_t>& curved,
           std::vector<std::uint32_t>& number);
  void add_compared(const Model& model, std::vector<std::uint8_t>& curved,
                    std::vector<std::uint32_t>& number);
  void find_readers();
  void collect_outside(double time, const double* now, std::vector<std::uint32_t>& rows);
  void collect_outside(std::uint32_t variable, double value, double margin, std::vector<std::uint32_t>& rows);
  std::span<const Reader> readers(std::uint32_t variable) const {
    return std::span(readers_).subspan(first_reader_[variable],
                                       first_reader_[variable + 1] - first_reader_[variable]);
  }
  void drop_box(std::uint32_t row);
  bool over_box(const Row& row, Interval time, const Path* paths, double part, const double* parameters);
  Resolution evaluate(const Row& row, Interval time, const double* parameters);

  const Model& model_;
  bool reads_compared_ = false;
  std::vector<std::uint32_t> variables_;
  std::vector<Group> groups_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> tables_;
  std::vector<double> parameters_;  // in the order of the tables, as they were last
  // Of each sharp row, what its sharp operations read: the variable, and its range in the box.
  std::vector<std::uint32_t> watched_;
  std::vector<Range> ranges_;
  std::vector<std::uint32_t> timed_;  // rows whose sharp operations read the time
  std::vector<double> until_;         // by row: the last time of its box; infinite where time does not matter
  // By variable:
  std::vector<double> low_, high_;           // the common part of its ranges in all boxes
  std::vector<std::uint32_t> first_reader_;  // in `readers_`; and the end
  std::vector<Reader> readers_;
  std::vector<Enclosure> values_;  // and one more for what no sharp operation reads
  std::vector<double> nominal_;
  std::vector<std::uint32_t> turning_rows_;
  std::vector<std::uint32_t> turning_;  // variables of rows that watch what is not affine in states
  std::vector<std::uint32_t> left_;     // variables that have left their common part
};

}  // namespace runtime
